"""The page "Add documents": files to upload, or a text to paste, into a chosen source."""

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from crmind.exceptions import CRMindError
from knowledge.admin.upload_form import FirstSourceForm, UploadForm
from knowledge.models import Connector, Source
from knowledge.services import create_source
from knowledge.services.uploads import UPLOADABLE
from knowledge.tasks import enqueue_upload


def upload(request: HttpRequest) -> HttpResponse:
    """Show the form, or keep what was sent and go to the run that reads it."""
    if not request.user.has_perm("knowledge.add_document"):
        raise PermissionDenied
    if not Source.objects.filter(connector__in=UPLOADABLE).exists():
        return _first_source(request)
    form = UploadForm(
        request.POST if request.method == "POST" else None,
        request.FILES if request.method == "POST" else None,
        initial=request.GET.dict(),
    )
    if request.method == "POST" and form.is_valid():
        try:
            run_id = enqueue_upload(
                source=form.cleaned_data["source"],
                files=form.to_keep(),
                options=form.options(),
                user_id=request.user.pk,
            )
        except CRMindError as error:
            form.refuse(error)
        else:
            messages.success(request, "Received. Below is how far it is.")
            return HttpResponseRedirect(
                reverse("admin:knowledge_ingestionrun_change", args=[run_id])
            )
    context = {
        **admin.site.each_context(request),
        "title": "Add documents",
        "form": form,
        "add_source": f"{reverse('admin:knowledge_source_add')}?connector=upload",
    }
    return TemplateResponse(request, "admin/knowledge/document/upload.html", context)


def _first_source(request: HttpRequest) -> HttpResponse:
    """Ask for a source to add documents to, and come back once it is made."""
    may_add = request.user.has_perm("knowledge.add_source")
    form = FirstSourceForm(request.POST if request.method == "POST" and may_add else None)
    if form.is_valid():
        try:
            source = create_source(
                name=form.cleaned_data["name"],
                type_slug=form.cleaned_data["source_type"].slug,
                connector=Connector.UPLOAD,
            )
        except CRMindError as error:
            form.refuse(error)
        else:
            messages.success(request, f"“{source}” is there. Now choose what to add to it.")
            return HttpResponseRedirect(request.get_full_path())
    context = {
        **admin.site.each_context(request),
        "title": "Add documents",
        "form": form,
        "may_add": may_add,
    }
    return TemplateResponse(request, "admin/knowledge/document/first_source.html", context)
