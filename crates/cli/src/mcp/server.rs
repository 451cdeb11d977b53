//! What a host can ask.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::answer::{self, line};
use super::fields::Fields;
use super::link::Link;
use super::tools::{self, Definition};
use super::workspace::{Subject, Workspace};
use super::{forget, get, prompt, save, search, timeline, work};
use crate::failure::Failure;
use crate::places::Places;

/// One host's conversation.
#[derive(Debug)]
pub(super) struct Server {
    /// Nothing: memory is switched off, and there is nothing to offer.
    memory: Option<Memory>,
}

#[derive(Debug)]
struct Memory {
    places: Places,
    workspace: Workspace,
}

impl Server {
    pub(super) fn new(places: Places, workspace: Workspace) -> Self {
        Self { memory: Some(Memory { places, workspace }) }
    }

    /// A server without tools: a host that finds no server at all would complain.
    pub(super) fn silent() -> Self {
        Self { memory: None }
    }

    /// Starts the engine beside the conversation, so that the first call finds it.
    pub(super) fn wake_engine(&self) {
        let Some(memory) = &self.memory else { return };
        let link = Link::new(memory.places.clone(), memory.workspace.at_start(), String::new());
        // If it cannot be started, the first call says so.
        drop(tokio::spawn(async move { link.ask("status", serde_json::Value::Null).await }));
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Definition::named(&request.name) else { return Err(unknown_tool(&request.name)) };
        let fields = Fields::new(tool.name, request.arguments);
        let left_over = fields.left_over(tool.takes);
        let Some(memory) = &self.memory else {
            let failure = Failure::new("off", "memory is switched off in this session", "go on without it");
            return Ok(answer::result_of(Err(failure)).into());
        };
        let project = match memory.workspace.of(context, request.input_responses.as_ref()).await {
            Subject::Folder(folder) => Some(folder),
            Subject::Person => None,
            Subject::Unknown(question) => return Ok(question.into()),
        };
        let client = context.client_info().map_or_else(|| "mcp".to_owned(), |client| client.name);
        let link = Link::new(memory.places.clone(), project, client);
        let outcome = match tool.name {
            "memory_search" => search::call(&link, fields).await,
            "memory_timeline" => timeline::call(&link, fields).await,
            "memory_get" => get::call(&link, fields).await,
            "memory_save" => save::call(&link, fields).await,
            "work_state" => work::call(&link, fields).await,
            _ => forget::call(&link, fields).await,
        };
        Ok(answer::result_of(answer::noting(outcome, left_over)).into())
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().build();
        let program = Implementation::new("remora", env!("CARGO_PKG_VERSION")).with_title("Remora");
        let info = ServerConfig::new(capabilities).with_server_info(program);
        if self.memory.is_some() { info.with_instructions(tools::INSTRUCTIONS) } else { info }
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let offered: &[Definition] = if self.memory.is_some() { &tools::ALL } else { &[] };
        Ok(ListToolsResult::with_all_items(offered.iter().map(Definition::tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(request, &context).await
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let offered = if self.memory.is_some() { prompt::all() } else { Vec::new() };
        Ok(ListPromptsResult::with_all_items(offered))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(memory) = self.memory.as_ref().filter(|_| prompt::is_review(&request.name)) {
            let project = match memory.workspace.of(&context, None).await {
                Subject::Folder(folder) => Some(folder),
                Subject::Person => None,
                // A prompt is not asked again: what the host was started in is all that is known.
                Subject::Unknown(_) => memory.workspace.at_start(),
            };
            let link = Link::new(memory.places.clone(), project, String::new());
            return Ok(prompt::review(&link).await.into());
        }
        Ok(prompt::get(&request.name, request.arguments.as_ref())?.into())
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        if let Some(memory) = &self.memory {
            memory.workspace.changed().await;
        }
    }

    /// A request whose parameters have another shape than its method wants comes here as well.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let wanted = match request.method.as_str() {
            "tools/call" => "{\"name\": a text, \"arguments\": an object}",
            "prompts/get" => "{\"name\": a text, \"arguments\": an object of texts}",
            method => {
                let message = format!("there is no method {:?} here", line(method, 60));
                return Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, message, None));
            }
        };
        let message = format!("the parameters of {} do not fit: they are {wanted}", request.method);
        Err(ErrorData::invalid_params(message, None))
    }
}

fn unknown_tool(name: &str) -> ErrorData {
    let names: Vec<&str> = tools::ALL.iter().map(|tool| tool.name).collect();
    let message = format!("there is no tool {:?}; the tools are {}", line(name, 60), names.join(", "));
    ErrorData::invalid_params(message, None)
}
